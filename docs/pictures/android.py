"""Make the picture of the Android sample's screens, of those that its checks leave.

    python android_demo/checks/run.py --pictures build/android_pictures
    python docs/pictures/android.py
"""

from PIL import Image
from web import REPOSITORY, few_colours

TAKEN = REPOSITORY / "build" / "android_pictures"
SCREENS = ("ask-light", "search-light", "find-dark", "classify-dark")
GAP = 16


def main():
    # Half as large: a pixel of these is one of a display with 160 in an inch.
    pictures = [Image.open(TAKEN / f"{name}.png").convert("RGB").reduce(2) for name in SCREENS]
    width, height = pictures[0].size
    row = Image.new("RGB", (len(pictures) * (width + GAP) - GAP, height), "white")
    for place, picture in enumerate(pictures):
        row.paste(picture, (place * (width + GAP), 0))
    few_colours(row).save(REPOSITORY / "android_demo" / "screens.png", optimize=True)


if __name__ == "__main__":
    main()
