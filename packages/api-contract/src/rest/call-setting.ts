import { described } from '@calls/foundation/schema/annotations';
import {
  Type,
  type Static,
  type TNull,
  type TObject,
  type TOptional,
  type TSchema,
  type TUnion,
} from 'typebox';

/**
 * Requests that may contain a setting: a call, a call of an agent, a template of an agent, a tool result that begins a
 * stage.
 */
export type SettingRequest = 'call' | 'agentCall' | 'template' | 'stage';
/** Responses that show a setting. */
export type SettingResponse = 'call' | 'stage';

/**
 * Properties of a setting besides its schema. Secrets, template variables and limits are marked in the schema itself.
 */
export interface SettingAnnotations {
  readonly description: string;
  readonly requests: readonly SettingRequest[];
  readonly responses?: readonly SettingResponse[];
  /** Used and stored if the request does not set it. */
  readonly default?: unknown;
  /** Shown in responses if the call has no value; absent: omitted. */
  readonly shownIfUnset?: unknown;
  /** Its form in templates, if that differs. */
  readonly inTemplate?: TSchema;
  /** Its form in stored settings and responses, if that differs. */
  readonly resolved?: TSchema;
  /** False if it only decides another setting, and is not stored itself. */
  readonly stored?: false;
}

type Setting = SettingAnnotations & { readonly schema: TSchema };
type Settings = Readonly<Record<string, Setting>>;

/** Declares a setting. */
export function setting<S extends TSchema, const A extends SettingAnnotations>(
  schema: S,
  annotations: A,
): A & { readonly schema: S } {
  return { ...annotations, schema };
}

type In<S extends Settings, R extends SettingRequest> = {
  [K in keyof S]: R extends S[K]['requests'][number] ? K : never;
}[keyof S];
type ShownIn<S extends Settings, R extends SettingResponse> = {
  [K in keyof S]: S[K] extends { responses: readonly (infer Shown)[] }
    ? R extends Shown
      ? K
      : never
    : never;
}[keyof S];
type Requested<T extends Setting, R extends SettingRequest> = R extends 'template'
  ? T extends { inTemplate: infer F extends TSchema }
    ? F
    : T['schema']
  : T['schema'];
type Resolved<T extends Setting> = T extends { resolved: infer F extends TSchema } ? F : T['schema'];
type Shown<T extends Setting> = T extends { default: unknown }
  ? Resolved<T>
  : T extends { shownIfUnset: null }
    ? TUnion<[Resolved<T>, TNull]>
    : T extends { shownIfUnset: unknown }
      ? Resolved<T>
      : TOptional<Resolved<T>>;

export type RequestProperties<S extends Settings, R extends SettingRequest> = {
  [K in In<S, R>]: TOptional<Requested<S[K], R>>;
};
export type ResponseProperties<S extends Settings, R extends SettingResponse> = {
  [K in ShownIn<S, R>]: Shown<S[K]>;
};

/** The optional properties of a request, in the order of the settings. */
export function requestProperties<S extends Settings, R extends SettingRequest>(
  settings: S,
  request: R,
): RequestProperties<S, R> {
  const properties = Object.entries(settings)
    .filter(([, { requests }]) => requests.includes(request))
    .map(([name, each]) => {
      const schema = request === 'template' ? (each.inTemplate ?? each.schema) : each.schema;
      return [name, Type.Optional(described(schema, descriptionIn(each, request)))];
    });
  return Object.fromEntries(properties) as RequestProperties<S, R>;
}

/** The properties of a response. They have no limits: responses also show what earlier releases accepted. */
export function responseProperties<S extends Settings, R extends SettingResponse>(
  settings: S,
  response: R,
): ResponseProperties<S, R> {
  const properties = shownIn(settings, response).map(([name, each]) => {
    const schema = withoutLimits(each.resolved ?? each.schema);
    return [name, described(shown(each, schema), each.description)];
  });
  return Object.fromEntries(properties) as ResponseProperties<S, R>;
}

type StoredIn<S extends Settings> = {
  [K in In<S, 'call'>]: S[K] extends { stored: false } ? never : K;
}[In<S, 'call'>];
type Defaulted<S extends Settings> = {
  [K in keyof S]: S[K] extends { default: unknown } ? K : never;
}[keyof S];

/** Settings as they are stored with a call: those with a default are always set. */
export type StoredSettings<S extends Settings> = {
  [K in Extract<StoredIn<S>, Defaulted<S>>]: Static<Resolved<S[K]>>;
} & {
  [K in Exclude<StoredIn<S>, Defaulted<S>>]?: Static<Resolved<S[K]>>;
};

export type ShownSettings<S extends Settings, R extends SettingResponse> = Static<
  TObject<ResponseProperties<S, R>>
>;

/** Values of the properties of a response, from the settings of a call or a stage. */
export function shownSettings<S extends Settings, R extends SettingResponse>(
  settings: S,
  response: R,
  stored: Partial<StoredSettings<S>>,
): ShownSettings<S, R> {
  const values: Readonly<Record<string, unknown>> = stored;
  const properties = shownIn(settings, response).flatMap(([name, each]) => {
    const value = values[name] ?? each.default ?? each.shownIfUnset;
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(properties) as ShownSettings<S, R>;
}

/** The default of each setting that has one. */
export function settingDefaults<S extends Settings>(
  settings: S,
): { [K in Defaulted<S>]: Static<Resolved<S[K]>> } {
  const defaults = Object.entries(settings).flatMap(([name, each]) =>
    'default' in each ? [[name, each.default]] : [],
  );
  return Object.fromEntries(defaults) as { [K in Defaulted<S>]: Static<Resolved<S[K]>> };
}

function shownIn(settings: Settings, response: SettingResponse): [string, Setting][] {
  return Object.entries(settings).filter(([, { responses = [] }]) => responses.includes(response));
}

function shown({ shownIfUnset, ...each }: Setting, schema: TSchema): TSchema {
  if ('default' in each) return schema;
  if (shownIfUnset === null) return Type.Union([schema, Type.Null()]);
  return shownIfUnset === undefined ? Type.Optional(schema) : schema;
}

function descriptionIn({ description, requests, ...each }: Setting, request: SettingRequest): string {
  if (request === 'agentCall' && requests.includes('template')) {
    return `${description} Defaults to the value in the template of the agent.`;
  }
  const value = typeof each.default === 'string' ? each.default : JSON.stringify(each.default);
  return 'default' in each ? `${description} Defaults to \`${value}\`.` : description;
}

const LIMITS = ['minLength', 'maxLength', 'minimum', 'maximum', 'maxItems', 'maxProperties'];

/** Schemas with a title are components, which are the same wherever they are used. */
function withoutLimits(schema: TSchema): TSchema {
  if ('title' in schema) return schema;
  const { patternProperties } = schema as { patternProperties?: Readonly<Record<string, TSchema>> };
  const values = Object.entries(patternProperties ?? {}).map(([key, each]) => [key, withoutLimits(each)]);
  const copy = Type.With(
    schema,
    patternProperties ? { patternProperties: Object.fromEntries(values) as object } : {},
  ) as TSchema;
  for (const limit of LIMITS) Reflect.deleteProperty(copy, limit);
  return copy;
}
