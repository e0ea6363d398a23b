import { ModelError } from "./model-error.js";

/** The model gave numbers that are not finite, or too few of them. */
export class UnusableNumbers extends ModelError {
  constructor() {
    super("The model gave no usable numbers.");
  }
}
