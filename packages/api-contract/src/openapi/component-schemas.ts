import { isDeepStrictEqual } from 'node:util';
import { DESCRIPTION_HERE, PROJECT_KEYWORDS } from '@calls/foundation/schema/keywords';
import type { TSchema } from 'typebox';

export type JsonSchema = Record<string, unknown>;

/** Collects schemas with a title as components and replaces their uses by references. */
export class ComponentSchemas {
  readonly #schemas = new Map<string, JsonSchema>();

  get all(): Record<string, JsonSchema> {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /**
   * A reference to the schema, or the schema itself if it has no title. Throws if two different schemas have the same
   * title.
   */
  reference(schema: TSchema): JsonSchema {
    return this.#convert(schema) as JsonSchema;
  }

  /** The schema itself, with references inside. */
  inline(schema: TSchema): JsonSchema {
    return this.#members(schema);
  }

  #convert(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#convert(item));
    if (typeof value !== 'object' || value === null) return value;
    const { title, [DESCRIPTION_HERE]: description } = value as {
      title?: unknown;
      [DESCRIPTION_HERE]?: unknown;
    };
    const converted = this.#members(value);
    if (typeof title !== 'string') return converted;
    delete converted['title'];
    const known = this.#schemas.get(title);
    if (known && !isDeepStrictEqual(known, converted)) {
      throw new Error(`two different schemas are called ${title}`);
    }
    this.#schemas.set(title, converted);
    return {
      $ref: `#/components/schemas/${title}`,
      ...(typeof description === 'string' && { description }),
    };
  }

  /** Enumerable members only: TypeBox hides its own. */
  #members(value: object): JsonSchema {
    return Object.fromEntries(
      Object.entries(value)
        .filter(([key]) => !PROJECT_KEYWORDS.includes(key))
        .map(([key, item]) => [key, this.#member(key, item)]),
    );
  }

  /** Handles `properties`, which has names as keys: a property called `title` is not the keyword. */
  #member(key: string, item: unknown): unknown {
    if (key === 'properties' && typeof item === 'object' && item !== null) {
      return Object.fromEntries(Object.entries(item).map(([name, each]) => [name, this.#convert(each)]));
    }
    return this.#convert(item);
  }
}
