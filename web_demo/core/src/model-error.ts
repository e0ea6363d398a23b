/** A file, a model or a text cannot be used; the message tells the user why. */
export class ModelError extends Error {
  override readonly name = "ModelError";
}
