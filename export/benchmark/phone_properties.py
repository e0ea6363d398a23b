"""PhoneProperties: how a phone names itself."""

import dataclasses


@dataclasses.dataclass(frozen=True, kw_only=True)
class PhoneProperties:
    """A phone, as its own properties name it; "" for a property that it does not have."""

    serial: str
    manufacturer: str
    model: str
    android: str
    soc: str
    abi: str
