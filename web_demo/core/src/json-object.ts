import { ModelError } from "./model-error.js";
import { readText, type TextFile } from "./text-file.js";

type Members = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Reads the members of a JSON object and checks their types. */
export class JsonObject {
  private readonly members: Members;

  /**
   * @param name names the object in messages.
   * @throws ModelError if the value is not an object.
   */
  constructor(
    value: unknown,
    private readonly name: string,
  ) {
    if (!isObject(value)) throw new ModelError(`${name} should be an object.`);
    this.members = value;
  }

  /** @throws ModelError if the file is not UTF-8, not JSON or not an object. */
  static read(content: TextFile, name: string): JsonObject {
    const text = readText(content, name);
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (error) {
      throw new ModelError(`${name} is not JSON: ${(error as Error).message}.`, { cause: error });
    }
    return new JsonObject(value, name);
  }

  get names(): string[] {
    return Object.keys(this.members);
  }

  has(key: string): boolean {
    return Object.hasOwn(this.members, key);
  }

  /** Returns the value of a key, whatever it is; null if the key is missing. */
  any(key: string): unknown {
    return this.has(key) ? this.members[key] : null;
  }

  string(key: string): string {
    return this.get(key, "a string", (value) => typeof value === "string");
  }

  boolean(key: string): boolean {
    return this.get(key, "true or false", (value) => typeof value === "boolean");
  }

  number(key: string, least: number, most: number): number {
    const isNumber = (value: unknown): value is number =>
      typeof value === "number" && value >= least && value <= most;
    return this.get(
      key,
      Number.isFinite(least) ? `a number from ${least} to ${most}` : "a number",
      isNumber,
    );
  }

  wholeNumber(key: string, least: number, most: number): number {
    const isPossible = (value: unknown): value is number =>
      Number.isInteger(value) && (value as number) >= least && (value as number) <= most;
    return this.get(key, `a whole number from ${least} to ${most}`, isPossible);
  }

  wholeNumbers(key: string): number[] {
    const areWhole = (value: unknown): value is number[] =>
      Array.isArray(value) && value.every(Number.isInteger);
    return this.get(key, "a list of whole numbers", areWhole);
  }

  strings(key: string): string[] {
    const areStrings = (value: unknown): value is string[] =>
      Array.isArray(value) && value.every((each) => typeof each === "string");
    return this.get(key, "a list of strings", areStrings);
  }

  object(key: string): JsonObject {
    return new JsonObject(this.get(key, "an object", isObject), `${this.name}, "${key}"`);
  }

  objects(key: string): JsonObject[] {
    const areObjects = (value: unknown): value is Members[] =>
      Array.isArray(value) && value.every(isObject);
    return this.get(key, "a list of objects", areObjects).map(
      (value, index) => new JsonObject(value, `${this.name}, "${key}"[${index}]`),
    );
  }

  /** @throws ModelError if the object has a member that is not one of `keys`. */
  requireOnly(...keys: string[]): void {
    const other = this.names.find((name) => !keys.includes(name));
    if (other !== undefined) {
      throw new ModelError(`${this.name}: "${other}" is not one of ${keys.join(", ")}.`);
    }
  }

  private get<T>(key: string, what: string, isRight: (value: unknown) => value is T): T {
    if (!this.has(key)) {
      throw new ModelError(`${this.name} has no "${key}": export the model again.`);
    }
    const value = this.members[key];
    if (!isRight(value)) throw new ModelError(`${this.name}: "${key}" should be ${what}.`);
    return value;
  }
}
