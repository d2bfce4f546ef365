import { CallTemplate } from '@calls/api-contract/rest/call-template';
import { withoutSecrets, withSecretsOf } from '@calls/api-contract/secrets';
import { createSecretBox } from '@calls/secrets/secret-box/secret-box';
import { describe, expect, it } from '@jest/globals';
import { openTemplate, sealTemplate } from './stored-secrets.ts';

const tool = (baseUrlPattern: string, authTokens?: Record<string, string>) => ({
  temporaryTool: { modelToolName: 'look_up', http: { baseUrlPattern } },
  ...(authTokens && { authTokens }),
});
const sip = (to: string, password?: string): CallTemplate => ({
  medium: { sip: { outgoing: { to, from: 'sip:us@a.test', username: 'u', ...(password && { password }) } } },
});
const TEMPLATE: CallTemplate = {
  ...sip('sip:you@b.test', 'the password'),
  sharedSecrets: ['a secret of some length'],
  selectedTools: [tool('https://a.test', { key: 'token' }), { toolName: 'x', authTokens: { key: 'other' } }],
};

describe('secrets of templates', () => {
  it('are sealed so that only their account can open them', () => {
    const box = createSecretBox(['a key of enough characters']);
    const sealed = sealTemplate(box, 'one', TEMPLATE);
    expect(JSON.stringify(sealed)).not.toMatch(/the password|a secret|token"|other"/u);
    expect(openTemplate(box, 'one', sealed)).toEqual(TEMPLATE);
    expect(() => openTemplate(box, 'two', sealed)).toThrow('belongs to another context');
  });

  it('are omitted from responses, and restored when the response is sent back unchanged', () => {
    const answered = withoutSecrets(CallTemplate.Request, TEMPLATE);
    expect(answered).toEqual({
      ...sip('sip:you@b.test'),
      selectedTools: [tool('https://a.test'), { toolName: 'x' }],
    });
    expect(withSecretsOf(CallTemplate.Request, TEMPLATE, answered)).toEqual(TEMPLATE);
  });

  it('are restored only for the same tool and SIP address, even when tools move in the list', () => {
    const moved: CallTemplate = { selectedTools: [{ toolName: 'x' }, tool('https://elsewhere.test')] };
    expect(withSecretsOf(CallTemplate.Request, TEMPLATE, moved).selectedTools).toEqual([
      { toolName: 'x', authTokens: { key: 'other' } },
      tool('https://elsewhere.test'),
    ]);
    expect(withSecretsOf(CallTemplate.Request, TEMPLATE, sip('sip:other@c.test')).medium).toEqual(
      sip('sip:other@c.test').medium,
    );
  });

  it('are cleared when the update contains empty secrets', () => {
    const given = { sharedSecrets: [], selectedTools: [tool('https://a.test', {})] };
    expect(withSecretsOf(CallTemplate.Request, TEMPLATE, given)).toEqual(given);
  });
});
