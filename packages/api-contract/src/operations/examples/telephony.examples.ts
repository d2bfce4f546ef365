import { exampleIds } from './ids.ts';

const callCreation = { callCreationAllowAllAgents: true };

export const telephony = {
  telephony1: {
    body: { ...callCreation, accountSid: 'AC0123456789abcdef', authToken: 'token-of-the-provider' },
    response: {
      ...callCreation,
      accountSid: 'AC0123456789abcdef',
      authTokenPrefix: { prefix: 'toke' },
    },
  },
  telephony2: {
    body: {
      ...callCreation,
      accountSid: 'a1b2c3d4',
      apiKey: 'key-of-the-provider',
      publicKey: '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
      applicationSid: 'app-7',
    },
    response: {
      ...callCreation,
      accountSid: 'a1b2c3d4',
      apiKeyPrefix: { prefix: 'key-' },
      publicKeyPrefix: { prefix: '11qY' },
      applicationSid: 'app-7',
    },
  },
  telephony3: {
    body: { ...callCreation, authId: 'MA0123456789', authToken: 'token-of-the-provider' },
    response: { ...callCreation, authId: 'MA0123456789', authTokenPrefix: { prefix: 'toke' } },
  },
} as const;

export const sipConfig = {
  allowedCidrRanges: ['203.0.113.0/24'],
  allowAllAgents: false,
  allowedAgents: [{ agentId: exampleIds.agent, toUserPattern: '^100[0-9]$' }],
  domain: `${exampleIds.account}.sip.example.com`,
};

export const sipRegistrationBody = {
  username: 'reception',
  password: 'password-at-the-server',
  proxy: 'sip.example.com',
};

export const sipRegistration = {
  registrationId: exampleIds.registration,
  created: '2026-03-02T09:00:00.000Z',
  username: 'reception',
  proxy: 'sip.example.com',
  outboundProxy: null,
  authUser: null,
  successful: null,
};
