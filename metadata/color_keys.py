"""DCC keys, CMASK nibbles and FMASK words: rules as scalar kernels."""

from typing import Final

import numpy as np

from ..base.kernel import kernel

KEY_0000: Final = 0x00
KEY_0001: Final = 0x40
KEY_1110: Final = 0x80
KEY_1111: Final = 0xC0
KEY_SINGLE: Final = 0x10
KEY_REGISTER: Final = 0x20
KEY_EXPANDED: Final = 0xFF

CLEARED: Final = 0  # value follows from the key (DCC), or is CLEAR_WORD (CMASK)
EXPANDED: Final = 1
UNDOCUMENTED: Final = 2
SINGLE: Final = 3  # value is in the first pixel of the block
REGISTER: Final = 4  # value is CB_COLOR_CLEAR_WORD0/1


@kernel
def dcc_state(key):
    """What a key says of its block; keys of compressed data are not public.  [META-DCC-KEYS]"""
    code = np.int64(key)
    state = UNDOCUMENTED
    if code in (KEY_0000, KEY_0001, KEY_1110, KEY_1111):
        state = CLEARED
    elif code == KEY_EXPANDED:
        state = EXPANDED
    elif code == KEY_SINGLE:
        state = SINGLE
    elif code == KEY_REGISTER:
        state = REGISTER
    return np.int64(state)


@kernel
def key_color_is_one(key):
    """Whether a clear key sets the colour channels to one.  [META-DCC-KEYS]"""
    return (np.int64(key) >> 7) & 1


@kernel
def key_alpha_is_one(key):
    """Whether a clear key sets the alpha channel to one.  [META-DCC-KEYS]"""
    return (np.int64(key) >> 6) & 1


@kernel
def cmask_state(nibble):
    """What bits 3:2 of a CMASK nibble say: 00 cleared, 11 not; 01 and 10 are not public.  [META-CMASK-NIBBLE]"""
    code = (np.int64(nibble) >> 2) & 3
    if code == 0:
        return CLEARED
    return EXPANDED if code == 3 else UNDOCUMENTED


@kernel
def cmask_fmask(nibble):
    """FMASK compression of a CMASK nibble: 0 all samples read fragment 0, 1 or 2 bits per sample, 3 raw."""
    return np.int64(nibble) & 3


@kernel
def fmask_fragment(word, sample, bits):
    """Fragment that a sample reads, from an FMASK word of `bits` bits per sample.

    Bit 3 of a nibble says that the fragment is not stored: then fragment 0.  [META-FMASK-FRAGMENT]
    """
    field = (np.int64(word) >> (np.int64(sample) * bits)) & ((np.int64(1) << bits) - 1)
    return field & 7


@kernel
def dcc_states_of(keys, out):
    """`dcc_state` of each key."""
    for i in range(keys.size):
        out[i] = dcc_state(keys[i])


@kernel
def cmask_states_of(nibbles, out):
    """`cmask_state` of each nibble."""
    for i in range(nibbles.size):
        out[i] = cmask_state(nibbles[i])
