import { describe, expect, it } from '@jest/globals';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { StartCallRequest } from '@calls/api-contract/rest/call';
import { newId } from '@calls/foundation/ids';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { callSecretsContext } from '@calls/secrets/secret-box/secret-contexts';
import { buildCallSpec } from './build-call-spec.ts';
import { resolveSettings } from './resolve-settings.ts';
import {
  openMessage,
  openSettings,
  openToolAuth,
  sealMessage,
  openWords,
  sealOverrides,
  sealSettings,
  sealToolAuth,
} from './secrets.ts';

const box = createSecretBox(['an encryption key for tests only']);
const accountId = newId();
const SECRET = 'a secret of sixteen and more';

const request: StartCallRequest = {
  medium: { sip: { outgoing: { to: 'a', from: 'b', password: SECRET } } },
  sharedSecrets: [SECRET],
  callbacks: { billed: { url: 'https://hooks.test', secrets: [SECRET] } },
  dataConnection: { websocketUrl: 'wss://data.test', headers: { Authorization: SECRET } },
  externalVoice: { generic: { url: 'https://voices.test', headers: { 'X-Key': SECRET } } },
  selectedTools: [{ toolName: 'crm', authTokens: { key: SECRET } }],
};

/** Maps the texts at these paths, as earlier releases did. `*`: any key or index. */
function mapPaths(value: unknown, paths: readonly string[][], map: (text: string) => string): unknown {
  if (typeof value === 'string') return paths.some((path) => path.length === 0) ? map(value) : value;
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string): string[][] =>
    paths.filter(([head]) => head === '*' || head === key).map((path) => path.slice(1));
  const items = Object.entries(value).map(([key, item]) => [key, mapPaths(item, below(key), map)] as const);
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
}

describe('secrets of a call', () => {
  it('are all sealed in the stored settings, and open only for their account', () => {
    const settings = resolveSettings(request);
    const sealed = sealSettings(box, accountId, settings);
    expect(JSON.stringify(sealed)).not.toContain(SECRET);
    expect(openSettings(box, accountId, sealed)).toEqual(settings);
    expect(() => openSettings(box, newId(), sealed)).toThrow();
  });

  it('are sealed at the same paths as in earlier releases, so that each release opens settings of the other', () => {
    const settings = resolveSettings(request);
    const paths = [
      'dataConnection.headers.*',
      'externalVoice.generic.headers.*',
      'sharedSecrets.*',
      'callbacks.*.secrets.*',
      'selectedTools.*.authTokens.*',
      'medium.sip.outgoing.password',
    ].map((path) => path.split('.'));
    const context = callSecretsContext(accountId);
    const before = mapPaths(settings, paths, (plain) => box.seal(plain, context)) as typeof settings;
    expect(openSettings(box, accountId, before)).toEqual(settings);
    const sealed = sealSettings(box, accountId, settings);
    expect(mapPaths(sealed, paths, (text) => box.open(text, context))).toEqual(settings);
  });

  it('are all sealed in the message that creates the call on a worker', () => {
    const ids = { callId: newId(), accountId, firstStageId: newId() };
    const spec = buildCallSpec({
      ...ids,
      createdAtMs: 1,
      settings: resolveSettings(request),
      medium: { kind: 'serverWebSocket', given: { inputSampleRate: 8000 } },
      voice: { engine: 'generic', settings: { apiKey: SECRET, headers: { 'X-Key': SECRET }, speed: 1 } },
      tools: [
        {
          toolId: null,
          name: 'crm',
          definition: { client: {} },
          auth: { headers: { 'X-Key': SECRET }, queryParams: { key: SECRET }, callTokenScopes: null },
        },
      ],
      greetingPromptEnabled: true,
    });
    const message: CreatedCall = { admissionClass: 'standard', spec };
    // All secrets that are sent to workers.
    expect(JSON.stringify(message).split(SECRET)).toHaveLength(7);
    const sealed = sealMessage(box, message);
    expect(JSON.stringify(sealed)).not.toContain(SECRET);
    expect(sealed.spec.firstStage.voice.settings['speed']).toBe(1);
    expect(openMessage(box, sealed)).toEqual(message);
  });

  it('include initial messages when the retention policy is zdr: only their roles are stored', () => {
    const initialMessages = [{ role: 'MESSAGE_ROLE_USER' as const, text: SECRET }, { text: SECRET }];
    const storedMessages = (retentionPolicy: 'zdr' | 'auto_delete') =>
      sealSettings(box, accountId, resolveSettings({ initialMessages, retentionPolicy })).initialMessages;
    expect(storedMessages('zdr')).toEqual([{ role: 'MESSAGE_ROLE_USER' }, {}]);
    expect(storedMessages('auto_delete')).toEqual(initialMessages);
  });

  it('are sealed in the overrides of a stage', () => {
    const overrides = { temperature: 1, externalVoice: request.externalVoice! };
    const sealed = sealOverrides(box, { account_id: accountId, retention_policy: 'retain' }, overrides);
    expect(sealed.temperature).toBe(1);
    expect(JSON.stringify(sealed)).not.toContain(SECRET);
    expect(openSettings(box, accountId, sealed)).toEqual(overrides);
  });

  it('include the texts of a stage when the retention policy is zdr, and can be opened again', () => {
    const overrides = {
      systemPrompt: SECRET,
      temperature: 0.5,
      initialState: { order: { note: SECRET, rooms: 2 } },
      inactivityMessages: [{ duration: '5s', message: SECRET }],
    };
    const call = { account_id: accountId, retention_policy: 'zdr' as const };
    const sealed = sealOverrides(box, call, overrides);
    expect(JSON.stringify(sealed)).not.toContain(SECRET);
    expect(sealed.temperature).toBe(0.5);
    expect(openWords(box, call, sealed)).toEqual(overrides);
    const retainedCall = { ...call, retention_policy: 'retain' as const };
    expect(sealOverrides(box, retainedCall, overrides)).toEqual(overrides);
    expect(openWords(box, retainedCall, overrides)).toEqual(overrides);
  });

  it('are stored as null for a tool without credentials, and sealed otherwise', () => {
    const none = { headers: {}, queryParams: {}, callTokenScopes: ['x'] };
    expect(sealToolAuth(box, accountId, none)).toBeNull();
    const sealed = sealToolAuth(box, accountId, { ...none, queryParams: { key: SECRET } });
    expect(sealed).toMatch(/^sealed:/u);
    expect(openToolAuth(box, accountId, sealed)).toEqual({ headers: {}, queryParams: { key: SECRET } });
    const oauthClient = { clientId: 'calls', clientSecret: SECRET, scope: 'orders' };
    const ofClient = sealToolAuth(box, accountId, { ...none, oauthClient });
    expect(ofClient).not.toContain(SECRET);
    expect(openToolAuth(box, accountId, ofClient)).toEqual({ headers: {}, queryParams: {}, oauthClient });
    expect(openToolAuth(box, accountId, null)).toEqual({ headers: {}, queryParams: {} });
  });
});
