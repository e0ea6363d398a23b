import { ModelError } from "./model-error.js";

/** What the user gave cannot be used, and another model or another attempt would not change that. */
export class InputError extends ModelError {}
