/** Code points, each with the place in the original text of the character that it comes from. */
export class Normalized {
  readonly points: number[] = [];
  readonly places: number[] = [];

  get size(): number {
    return this.points.length;
  }

  add(point: number, place: number): void {
    this.points.push(point);
    this.places.push(place);
  }
}
