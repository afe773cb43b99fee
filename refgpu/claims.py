"""Public view of the claims table; `refgpu.base.claims` holds it."""

from .base.claims import GRADES, OPEN_GRADES, Claim, Variant, get, table

__all__ = ["GRADES", "OPEN_GRADES", "Claim", "Variant", "get", "table"]
