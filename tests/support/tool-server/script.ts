import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const ScriptedAnswer = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** Text as it is, anything else as JSON. */
    body: Type.Optional(Type.Unknown()),
    delayMs: Type.Optional(Type.Number({ minimum: 0, maximum: 60_000 })),
    failure: Type.Optional(
      Type.Enum([
        /** Takes the request and never answers. */
        'hang',
        /** Breaks the connection without an answer. */
        'refuse',
        /** Breaks the connection in the middle of the body. */
        'cut',
      ]),
    ),
  },
  { additionalProperties: false },
);
/** Default: 200, no body, at once. */
export type ScriptedAnswer = Static<typeof ScriptedAnswer>;

const Script = Type.Object(
  { path: Type.String({ pattern: '^/' }), answers: Type.Array(ScriptedAnswer, { minItems: 1 }) },
  { additionalProperties: false },
);
export type Script = Static<typeof Script>;
export const scriptValidator = compileValidator('script', Script);

/** The answers of each path, one after another; the last one stays. */
export class Scripts {
  readonly #left = new Map<string, ScriptedAnswer[]>();

  set({ path, answers }: Script): void {
    this.#left.set(path, [...answers]);
  }

  /** Undefined for a path that has no script. */
  next(path: string): ScriptedAnswer | undefined {
    const left = this.#left.get(path);
    return left && left.length > 1 ? left.shift() : left?.[0];
  }
}
