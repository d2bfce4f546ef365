import type { ReadOnlyMark, WriteOnlyMark } from '@calls/foundation/schema/annotations';
import { DESCRIPTION_HERE } from '@calls/foundation/schema/keywords';
import { Type, type TObject, type TOptional, type TSchema, type TUnknown } from 'typebox';

type Properties = Record<string, TSchema>;
type KeysMarked<P extends Properties, Mark> = { [K in keyof P]: P[K] extends Mark ? K : never }[keyof P];
type Writable<P extends Properties> = Omit<P, KeysMarked<P, ReadOnlyMark>>;
type Readable<P extends Properties> = Omit<P, KeysMarked<P, WriteOnlyMark>>;
type Optional<P> = { [K in keyof P]: P[K] extends TSchema ? TOptional<P[K]> : never };

/** A resource of the API, described once: its response, its creation or replacement, and its changes. */
export interface Resource<P extends Properties> {
  readonly Response: TObject<Readable<P>>;
  readonly Request: TObject<Writable<P>>;
  readonly Patch: TObject<Optional<Writable<P>>>;
}

/** `name` is the resource's name in the OpenAPI document; `NameRequest` and `PatchedName` come from it. */
export function defineResource<P extends Properties>(name: string, properties: P): Resource<P> {
  const all = Object.entries(properties);
  const closed = (title: string, fields: [string, TSchema][]): TSchema =>
    Type.Object(Object.fromEntries(fields), { title, additionalProperties: false });
  const inRequest = (adapt: (schema: TSchema) => TSchema): [string, TSchema][] =>
    all.map(([key, schema]) => [key, isReadOnly(schema) ? ignored(schema) : adapt(schema)]);
  const request = inRequest((schema) => schema);
  return {
    Response: closed(
      name,
      all.filter(([, schema]) => !('writeOnly' in schema)),
    ) as Resource<P>['Response'],
    Request: closed(`${name}Request`, request) as Resource<P>['Request'],
    Patch: closed(
      `Patched${name}`,
      inRequest((schema) => Type.Optional(schema)),
    ) as Resource<P>['Patch'],
  };
}

/** A read-only field in a request: any value is accepted and dropped. */
function ignored(schema: { description?: unknown; [DESCRIPTION_HERE]?: unknown }): TOptional<TUnknown> {
  const description = schema[DESCRIPTION_HERE] ?? schema.description;
  return Type.Optional(
    Type.Unknown({ readOnly: true, ...(typeof description === 'string' && { description }) }),
  );
}

function isReadOnly(schema: object): boolean {
  return 'readOnly' in schema && schema.readOnly === true;
}
