import { describe, expect, it } from '@jest/globals';
import { compileValidator } from '@calls/foundation/schema/validator';
import type { TSchema } from 'typebox';
import { Agent } from './agent.ts';
import { NewStage } from './call-records.ts';
import { StartAgentCallRequest, StartCallRequest } from './call.ts';
import { Voice } from './voice.ts';

const issuesOf = (schema: TSchema, value: unknown): string[] =>
  compileValidator('request', schema)
    .issues(value)
    .map(({ path, message }) => `${path} ${message}`);

/** Requests that may define a voice, each with a function that puts one there. */
const places: [string, TSchema, (voice: unknown) => unknown, string][] = [
  ['a call', StartCallRequest, (externalVoice) => ({ externalVoice }), 'externalVoice'],
  ['a new stage', NewStage, (externalVoice) => ({ externalVoice }), 'externalVoice'],
  [
    'an agent',
    Agent.Request,
    (externalVoice) => ({ callTemplate: { externalVoice } }),
    'callTemplate.externalVoice',
  ],
  ['a catalogue voice', Voice.Request, (definition) => ({ name: 'x', definition }), 'definition'],
  ['a changed catalogue voice', Voice.Patch, (definition) => ({ definition }), 'definition'],
];

describe.each(places)('the voice of %s', (_, schema, put, path) => {
  it.each([
    ['without a voice id', { provider1: {} }, ['provider1.voiceId is required']],
    [
      'with an empty voice id',
      { provider4: { voiceId: '' } },
      ['provider4.voiceId must have at least 1 character'],
    ],
    ['without the id of its user', { provider7: { voiceId: 'v' } }, ['provider7.userId is required']],
    ['without a URL', { generic: {} }, ['generic.url is required']],
    [
      'with an unknown delivery mode',
      { provider5: { voiceId: 'v', deliveryMode: 'X' } },
      [
        'provider5.deliveryMode must be one of DELIVERY_MODE_UNSPECIFIED, DELIVERY_MODE_STABLE, DELIVERY_MODE_BALANCED, ' +
          'DELIVERY_MODE_CREATIVE, STABLE, BALANCED, CREATIVE',
      ],
    ],
    [
      'with an unknown encoding',
      { generic: { url: 'https://voice.test/', jsonByteEncoding: 'X' } },
      [
        'generic.jsonByteEncoding must be one of JSON_BYTE_ENCODING_UNSPECIFIED, JSON_BYTE_ENCODING_BASE64, ' +
          'JSON_BYTE_ENCODING_HEX',
      ],
    ],
  ])('is rejected %s', (_what, voice, expected) => {
    expect(issuesOf(schema, put(voice))).toEqual(expected.map((issue) => `${path}.${issue}`));
  });

  it.each([
    ...(['provider1', 'provider2', 'provider3', 'provider4', 'provider5', 'provider6'] as const).map(
      (provider) => ({ [provider]: { voiceId: 'v' } }),
    ),
    { provider7: { voiceId: 'v', userId: 'u' } },
    { generic: { url: 'https://voice.test/' } },
  ])('is accepted with only the required fields of its provider: %j', (voice) => {
    expect(issuesOf(schema, put(voice))).toEqual([]);
  });
});

describe.each([
  ['a call', StartCallRequest],
  ['a call of an agent', StartAgentCallRequest],
  ['a new stage', NewStage],
])('the voice overrides of %s', (_, schema) => {
  it('may set any known field, to valid values only', () => {
    const overridden = (voiceOverrides: unknown) => issuesOf(schema, { voice: 'Alba', voiceOverrides });
    expect(overridden({ provider5: { deliveryMode: 'DELIVERY_MODE_STABLE' } })).toEqual([]);
    expect(overridden({ provider1: {} })).toEqual([]);
    expect(overridden({ provider5: { deliveryMode: 'X' } })).toHaveLength(1);
    expect(overridden({ generic: { jsonByteEncoding: 'X' } })).toHaveLength(1);
    expect(overridden({ provider1: { pitch: 1 } })).toEqual([
      'voiceOverrides.provider1.pitch is not a known field',
    ]);
  });
});
