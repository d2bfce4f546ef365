import { callLogEntryValidator } from '@calls/api-contract/bus/call-log-entry';
import type { CreatedCall } from '@calls/api-contract/bus/created-call';
import type { StageRequestMessage } from '@calls/api-contract/bus/live-calls';
import type { StageSpec } from '@calls/api-contract/call-spec';
import { newId } from '@calls/foundation/ids';
import { callSpec, stageSpec } from '@calls/testkit/call-spec';
import { describe, expect, it } from '@jest/globals';
import { createCallSeal, createEventSeal, createStageSeals } from './call-seal.ts';

const SECRET = 'a secret of the deployment';
const VOICE = {
  engine: 'generic',
  settings: {
    url: 'https://voice.test',
    headers: { Authorization: 'Bearer rosebud-1' },
    apiKey: 'sk-rosebud-2',
  },
};
const TOOL: StageSpec['tools'][number] = {
  name: 'look',
  builtIn: null,
  definition: { http: { baseUrlPattern: 'https://tool.test', httpMethod: 'GET' } },
  auth: { headers: { Authorization: 'Bearer rosebud-1' }, queryParams: { key: 'sk-rosebud-2' } },
};

function created(callId: string): CreatedCall {
  const firstStage = stageSpec({ voice: VOICE, tools: [TOOL] });
  const dataConnection = {
    url: 'wss://data.test',
    headers: { Authorization: 'Bearer rosebud-1' },
    dataMessages: {},
    audio: null,
  };
  return {
    admissionClass: 'standard',
    spec: callSpec({ callId, firstStage, sharedSecrets: ['rosebud-1', 'rosebud-2'], dataConnection }),
  };
}

describe('createCallSeal', () => {
  const seal = createCallSeal([SECRET]);

  it('encrypts only the secrets; the same secret decrypts them', () => {
    const call = created('c1');
    const sealed = seal.seal(call);
    expect(JSON.stringify(sealed)).not.toMatch(/rosebud/u);
    expect(sealed.spec).toMatchObject({
      callId: 'c1',
      firstStage: {
        systemPrompt: 'Be kind.',
        voice: { engine: 'generic', settings: { url: 'https://voice.test' } },
        tools: [{ name: 'look', definition: TOOL.definition }],
      },
      dataConnection: { url: 'wss://data.test' },
    });
    expect(createCallSeal([SECRET]).open(sealed)).toEqual(call);
  });

  it('decrypts with the same secret and for the same call only', () => {
    const call = created('c1');
    const sealed = seal.seal(call);
    expect(() => createCallSeal(['another secret']).open(sealed)).toThrow('no key');
    expect(createCallSeal(['another secret', SECRET]).open(sealed)).toEqual(call);
    const moved = { ...sealed, spec: { ...sealed.spec, callId: 'c2' } };
    expect(() => seal.open(moved)).toThrow('another context');
  });

  it('encrypts messages only for calls with zero retention', () => {
    const initialMessages = [{ role: 'MESSAGE_ROLE_USER' as const, text: `${'x'.repeat(65_530)}marker` }];
    for (const retention of ['retain', 'zdr'] as const) {
      const spec = callSpec({ retention, firstStage: stageSpec({ initialMessages }) });
      const call: CreatedCall = { admissionClass: 'standard', spec };
      const sealed = seal.seal(call);
      expect(JSON.stringify(sealed).includes('marker')).toBe(retention === 'retain');
      expect(seal.open(sealed)).toEqual(call);
    }
  });

  it('does not change calls without secrets', () => {
    const call = created('c1');
    const plain = { ...call, spec: callSpec({ callId: call.spec.callId }) };
    expect(seal.seal(plain)).toEqual(plain);
    expect(seal.open(plain)).toEqual(plain);
  });
});

describe('createEventSeal', () => {
  const seal = createEventSeal([SECRET]);
  const end = {
    type: 'ended',
    endReason: 'agent_hangup',
    joinedAtMs: 1,
    inputTokens: 2,
    outputTokens: 3,
  } as const;
  const event = { callId: newId(), body: { ...end, transferTo: '+4930123' } };

  it('encrypts the transfer target of a call', () => {
    const sealed = seal.seal(event);
    expect(JSON.stringify(sealed)).not.toContain('4930123');
    expect(createEventSeal([SECRET]).open(sealed)).toEqual(event);
    expect(() => seal.open({ ...sealed, callId: newId() })).toThrow('another context');
    const longest = { ...event, body: { ...end, transferTo: `sip:${'x'.repeat(252)}` } };
    const envelope = { ...seal.seal(longest), accountId: newId(), seq: 1, epoch: 1, wallClockMs: 1 };
    expect(callLogEntryValidator.issues(envelope)).toEqual([]);
  });

  it('does not change other entries', () => {
    const plain = { callId: event.callId, body: end };
    expect(seal.seal(plain)).toEqual(plain);
    expect(seal.open(plain)).toEqual(plain);
  });
});

describe('createStageSeals', () => {
  const { requestSeal, replySealFor } = createStageSeals([SECRET]);
  const request: StageRequestMessage = {
    accountId: newId(),
    callId: newId(),
    currentStageId: newId(),
    stageId: newId(),
    body: {
      systemPrompt: 'Be kind.',
      selectedTools: [{ toolName: 'look', authTokens: { key: 'rosebud-1' } }],
      externalVoice: {
        generic: { url: 'https://voice.test', headers: { Authorization: 'Bearer rosebud-2' } },
      },
    },
    carriedMessages: 3,
  };

  it('encrypts the secrets of a request with any body', () => {
    const sealed = requestSeal.seal(request);
    expect(JSON.stringify(sealed)).not.toMatch(/rosebud/u);
    expect(sealed).toMatchObject({ callId: request.callId, body: { systemPrompt: 'Be kind.' } });
    expect(createStageSeals([SECRET]).requestSeal.open(sealed)).toEqual(request);
    for (const body of [null, 'text', 5, [], { selectedTools: 'x', externalVoice: [{ generic: 1 }] }]) {
      expect(requestSeal.open(requestSeal.seal({ ...request, body }))).toEqual({ ...request, body });
    }
  });

  it('encrypts the secrets of a reply, which can be decrypted only for the same request', () => {
    const answer = { stage: stageSpec({ voice: VOICE, tools: [TOOL] }) };
    const sealed = replySealFor(request).seal(answer);
    expect(JSON.stringify(sealed)).not.toMatch(/rosebud/u);
    expect(createStageSeals([SECRET]).replySealFor(request).open(sealed)).toEqual(answer);
    expect(() => replySealFor({ ...request, stageId: newId() }).open(sealed)).toThrow('another context');
    const refusal = { faults: [{ path: 'model', message: 'must be known' }] };
    expect(replySealFor(request).seal(refusal)).toEqual(refusal);
  });
});
