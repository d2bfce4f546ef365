import { describe, expect, it } from '@jest/globals';
import { Secret } from '@calls/foundation/schema/annotations';
import { SECRET_MARK } from '@calls/foundation/schema/keywords';
import { Nullable } from '@calls/foundation/schema/objects';
import { Type, type TSchema } from 'typebox';
import { CreatedCall } from './bus/created-call.ts';
import { StageReplyMessage } from './bus/live-calls.ts';
import { operations } from './operations/index.ts';
import { StartCallRequest } from './rest/call.ts';
import { mapSecrets, secretPaths, withoutSecrets, withSecretsOf } from './secrets.ts';

const Item = Type.Object({
  id: Type.Optional(Type.String()),
  token: Secret(Type.Optional(Type.String()), ['id']),
});
const Example = Type.Object({
  name: Type.String(),
  keys: Secret(Type.Optional(Type.Array(Type.String()))),
  items: Type.Array(Item),
  either: Type.Optional(Nullable(Type.Union([Item, Type.Object({ other: Type.String() })]))),
  byName: Type.Optional(Type.Record(Type.String(), Item)),
});
const value = {
  name: 'n',
  keys: ['k1', 'k2'],
  items: [{ id: 'a', token: 'ta' }, { id: 'b', token: 'tb' }, { id: 'c' }],
  either: { id: 'e', token: 'te' },
  byName: { x: { token: 'tx' } },
};

describe('secrets of a schema', () => {
  it('are found by their marks in lists, maps and unions', () => {
    expect(secretPaths(Example)).toEqual(['keys', 'items.*.token', 'either.token', 'byName.*.token']);
    expect(secretPaths(StartCallRequest).sort()).toEqual([
      'callbacks.billed.secrets',
      'callbacks.ended.secrets',
      'callbacks.joined.secrets',
      'dataConnection.headers',
      'externalVoice.generic.headers',
      'medium.sip.outgoing.password',
      'selectedTools.*.authTokens',
      'sharedSecrets',
      'voiceOverrides.generic.headers',
    ]);
  });

  it('on the bus are those that earlier releases encrypt, and new fields', () => {
    const stage = (path: string): string[] => [
      `${path}.voice.settings.apiKey`,
      `${path}.voice.settings.headers`,
      `${path}.tools.*.auth.headers`,
      `${path}.tools.*.auth.queryParams`,
      `${path}.tools.*.auth.oauthClient.clientSecret`,
    ];
    expect(secretPaths(StageReplyMessage)).toEqual(stage('stage'));
    expect(secretPaths(CreatedCall).sort()).toEqual(
      [
        ...stage('spec.firstStage'),
        ...['to', 'from', 'username', 'password', 'headers'].map((field) => `spec.medium.${field}`),
        'spec.sharedSecrets',
        'spec.dataConnection.headers',
      ].sort(),
    );
  });

  it('are the only values that mapSecrets changes', () => {
    expect(mapSecrets(Example, value, (text) => `<${text}>`)).toEqual({
      name: 'n',
      keys: ['<k1>', '<k2>'],
      items: [{ id: 'a', token: '<ta>' }, { id: 'b', token: '<tb>' }, { id: 'c' }],
      either: { id: 'e', token: '<te>' },
      byName: { x: { token: '<tx>' } },
    });
    for (const other of [null, 'text', 7, [], { items: 'none' }]) {
      expect(mapSecrets(Example, other, () => '!')).toEqual(other);
    }
  });

  it('are removed by withoutSecrets, and restored by withSecretsOf for items with the same id', () => {
    const shown = withoutSecrets(Example, value);
    expect(shown).toEqual({
      name: 'n',
      items: [{ id: 'a' }, { id: 'b' }, { id: 'c' }],
      either: { id: 'e' },
      byName: { x: {} },
    });
    expect(withSecretsOf(Example, value, shown)).toEqual(value);
    const moved = { name: 'n', keys: [], items: [{ id: 'b' }, { id: 'd' }], either: { id: 'f' } };
    expect(withSecretsOf(Example, value, moved)).toEqual({
      ...moved,
      items: [{ id: 'b', token: 'tb' }, { id: 'd' }],
    });
    expect(withSecretsOf(Example, null, moved)).toEqual(moved);
  });
});

/** Matches names of credentials. */
const SMELL = /password|passphrase|secret|token|credential|api.?key|private.?key|authorization|headers?\b/iu;

/** Fields with names like credentials that are not secret, each with the reason. */
const EXEMPT: Readonly<Record<string, string>> = {
  '**.billedSideInputTokens': 'a count',
  '**.billedSideOutputTokens': 'a count',
  '**.initialTokenCount': 'a count',
  '**.latestTokenCount': 'a count',
  '**TokenPrefix': 'the beginning of a stored key, for its owner to tell it from others',
  '**KeyPrefix': 'the beginning of a stored key, for its owner to tell it from others',
  '**.requirements.httpSecurityOptions.options.*.requirements.*.queryApiKey': 'names a query parameter',
  '**.requirements.httpSecurityOptions.options.*.requirements.*.headerApiKey': 'names a header',
  '**.requirements.httpSecurityOptions.options.*.requirements.*.oauthClient.tokenUrl': 'a URL',
  '**.requirements.httpSecurityOptions.options.*.svcCallTokenRequirement': 'names scopes',
  '**.definition.http.authHeaders': 'names of headers',
  '**.definition.http.callTokenScopes': 'names of scopes',
  '**.definition.mcp.authHeaders': 'names of headers',
  '**.medium.sip.outgoing.headers': 'headers of the INVITE; not for credentials',
  'createApiKey.body.secret': 'ignored: the service makes it',
  'createApiKey.answer.secret': 'answered once, by the request that made it',
  'createWebhook.answer.secrets': 'answered once, by the request that made it',
  'createScheduledBatch.answer.webhookSecret': 'answered once, by the request that made it',
  'updateScheduledBatch.answer.webhookSecret': 'answered once, by the request that made it',
  'updateSipConfig.answer.fallbackHandler.secrets': 'answered once, by the request that made it',
};

describe('an API field with a name like a credential', () => {
  it('is marked as a secret, or is exempt for a stated reason', () => {
    const smelling = new Set(
      operations.flatMap(({ id, body, response: answer }) => [
        ...smellsIn(body, `${id}.body`),
        ...smellsIn(answer, `${id}.answer`),
      ]),
    );
    const isExempt = (path: string): boolean =>
      Object.keys(EXEMPT).some((exempt) => path.endsWith(exempt.replace('**', '')));
    expect([...smelling].filter((path) => !isExempt(path))).toEqual([]);
    const unused = Object.keys(EXEMPT).filter(
      (exempt) => ![...smelling].some((path) => path.endsWith(exempt.replace('**', ''))),
    );
    expect(unused).toEqual([]);
  });
});

/** Paths of unmarked fields with names like credentials. */
function smellsIn(schema: TSchema | undefined, path: string): string[] {
  if (schema === undefined || SECRET_MARK in schema) return [];
  const name = path.slice(path.lastIndexOf('.') + 1).replaceAll(/([a-z])([A-Z])/gu, '$1 $2');
  const own = SMELL.test(name) ? [path] : [];
  return [
    ...own,
    ...innerOf(schema).flatMap(([key, inner]) => smellsIn(inner, key === '' ? path : `${path}.${key}`)),
  ];
}

function innerOf(schema: TSchema): [string, TSchema][] {
  const { properties, patternProperties, items, anyOf, oneOf, allOf } = schema as Record<string, unknown>;
  return [
    ...Object.entries((properties ?? {}) as Record<string, TSchema>),
    ...Object.values((patternProperties ?? {}) as Record<string, TSchema>).map((each): [string, TSchema] => [
      '*',
      each,
    ]),
    ...(items ? [['*', items] as [string, TSchema]] : []),
    ...[anyOf, oneOf, allOf].flatMap((branches) =>
      ((branches ?? []) as TSchema[]).map((each): [string, TSchema] => ['', each]),
    ),
  ];
}
