import { compileValidator } from '@calls/foundation/schema/validator';
import { Type, type Static } from 'typebox';

const ScriptedResponse = Type.Object(
  {
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** A string is sent unchanged, any other value as JSON. */
    body: Type.Optional(Type.Unknown()),
    delayMs: Type.Optional(Type.Number({ minimum: 0, maximum: 60_000 })),
    failure: Type.Optional(
      Type.Enum([
        /** Accepts the request and never responds. */
        'hang',
        /** Closes the connection without a response. */
        'refuse',
        /** Closes the connection in the middle of the body. */
        'cut',
      ]),
    ),
  },
  { additionalProperties: false },
);
/** Default: status 200 without a body, immediately. */
export type ScriptedResponse = Static<typeof ScriptedResponse>;

const Script = Type.Object(
  { path: Type.String({ pattern: '^/' }), responses: Type.Array(ScriptedResponse, { minItems: 1 }) },
  { additionalProperties: false },
);
export type Script = Static<typeof Script>;
export const scriptValidator = compileValidator('script', Script);

/** The responses of each path, in order. The last one is repeated. */
export class Scripts {
  readonly #left = new Map<string, ScriptedResponse[]>();

  set({ path, responses }: Script): void {
    this.#left.set(path, [...responses]);
  }

  /** Returns undefined if the path has no script. */
  next(path: string): ScriptedResponse | undefined {
    const left = this.#left.get(path);
    return left && left.length > 1 ? left.shift() : left?.[0];
  }
}
