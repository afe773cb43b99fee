"""Big arrays that are used again from pass to pass: fresh memory costs more than the work done on it."""

from typing import Any

import numpy as np
import numpy.typing as npt


class Workspace:
    """Named arrays that grow and are handed out again; their contents are whatever was there before."""

    def __init__(self) -> None:
        self._arrays: dict[str, npt.NDArray[Any]] = {}

    def take(self, name: str, shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
        """An array of this shape; the one handed out before under this name must not be used any more.

        Parameters
        ----------
        name : str
        shape : tuple of int
        dtype : dtype
            Always the same for one name.
        """
        size = int(np.prod(shape))
        array = self._arrays.get(name)
        if array is None or array.size < size:
            array = self._arrays[name] = np.empty(size + size // 8, dtype)
        return array[:size].reshape(shape)

    def grow(self, name: str, array: npt.NDArray[Any], rows: int) -> npt.NDArray[Any]:
        """`array`, which was taken under this name, with more rows; the contents of the old ones are kept."""
        shape = (rows, *array.shape[1:])
        if self._arrays[name].size < int(np.prod(shape)):
            kept = array
            array = self.take(name, shape, array.dtype)
            array[: len(kept)] = kept
            return array
        return self.take(name, shape, array.dtype)
