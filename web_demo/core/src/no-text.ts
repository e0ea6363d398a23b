import { InputError } from "./input-error.js";

/** A text has no tokens, as spaces have none: there is nothing that a model could read. */
export class NoText extends InputError {
  /** @param isSecond whether it is the second text, such as the passage of a question. */
  constructor(
    message: string,
    readonly isSecond = false,
  ) {
    super(message);
  }
}
