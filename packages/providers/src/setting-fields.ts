import { Pattern } from '@calls/foundation/schema/annotations';
import { ACCEPTED_MARK } from '@calls/foundation/schema/keywords';
import { Type, type TSchema } from 'typebox';

type Accepted = Record<string, unknown>;

/** A field whose values the API stores unchanged; the adapter rejects those that its vendor does not accept. */
function accepting<S extends TSchema>(schema: S, accepted: Accepted = {}): S {
  return (
    Object.keys(accepted).length === 0 ? schema : Type.With(schema, { [ACCEPTED_MARK]: accepted })
  ) as S;
}

interface Range {
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
}

/** A key or token of a vendor's API. */
export const Token = Pattern('^[!-~]+$', 'must be 1 to 512 printable ASCII characters without spaces', {
  maxLength: 512,
});

/** The voice; required by every vendor. */
export const voiceId = (description: string) => Type.String({ minLength: 1, maxLength: 256, description });

/** An optional text of at most `maxLength` characters. */
export const text = (
  description: string,
  { maxLength = 128, pattern }: { maxLength?: number; pattern?: string } = {},
) =>
  Type.Optional(
    accepting(Type.String({ maxLength, description }), {
      minLength: 1,
      ...(pattern !== undefined && { pattern }),
    }),
  );

export const number = (description: string, range: Range = {}) =>
  Type.Optional(accepting(Type.Number({ description }), { ...range }));

export const integer = (description: string, range: Range = {}) =>
  Type.Optional(
    accepting(Type.Integer({ minimum: -2_147_483_648, maximum: 2_147_483_647, description }), { ...range }),
  );

export const flag = (description: string) => Type.Optional(Type.Boolean({ description }));

/** An optional list of up to 32 texts. */
export const texts = (description: string) =>
  Type.Optional(
    Type.Array(accepting(Type.String({ maxLength: 128 }), { minLength: 1 }), { maxItems: 32, description }),
  );

/** An optional choice of one of `values`. */
export const choice = <const V extends string[]>(description: string, values: readonly [...V]) =>
  Type.Optional(Type.Enum([...values], { description }));
