"""Poki's Table 3.1: income rates of ten-player roll-outs, plain (IR-10) and iterated, in thousandths of a
small bet.
"""

from typing import Final

TABLE_3_1: Final[dict[str, tuple[int, int]]] = {
    "AA": (2112, 2920), "KK": (1615, 2180), "QQ": (1224, 1700), "JJ": (935, 1270), "TT": (714, 920),
    "AKs": (1071, 860), "AKo": (718, 850), "AQs": (915, 780), "AJs": (813, 680), "ATs": (736, 640),
    "99": (553, 630), "KQs": (858, 620), "AQo": (555, 560), "KJs": (767, 480), "88": (450, 450),
    "77": (364, 390), "AJo": (430, 380), "JTs": (657, 360), "KQo": (515, 310), "QTs": (655, 280),
    "QJs": (720, 270), "A9s": (538, 220), "ATo": (335, 200), "KTs": (694, 190), "KJo": (391, 160),
    "A8s": (469, 110), "66": (304, 40),
}  # fmt: skip
