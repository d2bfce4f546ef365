import type { CreatedCall } from '@calls/api-contract';
import { callSpec, stageSpec } from '@calls/testkit';
import { describe, expect, it } from '@jest/globals';
import { createCallSeal } from './call-seal.ts';

const SECRET = 'a secret of the deployment';
const VOICE = {
  engine: 'generic',
  settings: { url: 'https://voice.test', headers: { Authorization: 'Bearer 1234' }, apiKey: 'sk-5678' },
};

function created(callId: string): CreatedCall {
  return { admissionClass: 'standard', spec: callSpec({ callId, firstStage: stageSpec({ voice: VOICE }) }) };
}

describe('the seal of created calls', () => {
  const seal = createCallSeal(SECRET);

  it('hides the secrets and nothing else, and is undone by whoever has the same secret', () => {
    const call = created('c1');
    const sealed = seal.seal(call);
    expect(JSON.stringify(sealed)).not.toMatch(/1234|5678/u);
    expect(sealed.spec).toMatchObject({
      callId: 'c1',
      firstStage: {
        systemPrompt: 'Be kind.',
        voice: { engine: 'generic', settings: { url: 'https://voice.test' } },
      },
    });
    expect(createCallSeal(SECRET).open(sealed)).toEqual(call);
  });

  it('opens with no other secret, and for no other call', () => {
    const sealed = seal.seal(created('c1'));
    expect(() => createCallSeal('another secret').open(sealed)).toThrow('no key');
    const moved = { ...sealed, spec: { ...sealed.spec, callId: 'c2' } };
    expect(() => seal.open(moved)).toThrow('another place');
  });

  it('leaves calls without secrets as they are', () => {
    const call = created('c1');
    const plain = {
      ...call,
      spec: callSpec({ callId: call.spec.callId }),
    };
    expect(seal.seal(plain)).toEqual(plain);
    expect(seal.open(plain)).toEqual(plain);
  });
});
