"""The errors refgpu raises on purpose; every one is a RefGpuError."""


class RefGpuError(Exception):
    """Base of all errors that refgpu raises on purpose."""


class DecodeError(RefGpuError):
    """A word, packet or descriptor holds a value with no meaning on this chip."""


class UnsupportedError(RefGpuError):
    """The chip has this feature, this version of refgpu does not: it says so instead of guessing.

    Parameters
    ----------
    feature : str
        The register field, packet or claim, spelled as the hardware spells it.
    value : object, optional
        The value that asked for it.
    """

    def __init__(self, feature: str, value: object = None):
        self.feature = feature
        self.value = value
        shown = f" = {value:#x}" if isinstance(value, int) and not isinstance(value, bool) else f" = {value}"
        super().__init__(f"not supported yet: {feature}" + ("" if value is None else shown))


class InputError(RefGpuError, ValueError):
    """What the caller passed cannot be used: an address outside memory, a wrong shape, a missing file."""
