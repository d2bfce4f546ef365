import { generateKeyPairSync } from 'node:crypto';
import type { BodyFixture, BodyFixtures } from './fixtures.ts';
import type { World } from './world.ts';

const { publicKey } = generateKeyPairSync('ed25519');
const ed25519PublicKey = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString(
  'base64',
);
const serviceAccount = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
  type: 'pkcs8',
  format: 'pem',
});

const token = 'a-token-of-some-length';
const telephony = {
  telephony1: { accountSid: 'AC1', authToken: token },
  telephony2: {
    accountSid: 'AC2',
    apiKey: token,
    publicKey: ed25519PublicKey,
    applicationSid: 'app',
  },
  telephony3: { authId: 'MA1', authToken: token },
};
const allowed = { callCreationAllowAllAgents: true, requestContextMapping: { From: 'caller.number' } };

type Provider = keyof typeof telephony;

const configPath = (provider: Provider): string => `/api/telephony_configs/${provider}`;

async function everything(world: World, provider: Provider): Promise<unknown> {
  return { ...telephony[provider], ...allowed, callCreationAllowedAgentIds: [await world.agentId()] };
}

const create =
  (provider: Provider) =>
  async (world: World): Promise<BodyFixture> => ({
    minimal: telephony[provider],
    maximal: [await everything(world, provider)],
    before: () => world.account.send('DELETE', configPath(provider)),
  });
const update =
  (provider: Provider) =>
  async (world: World): Promise<BodyFixture> => {
    await world.account.post(configPath(provider), telephony[provider]);
    return { minimal: {}, maximal: [await everything(world, provider)] };
  };

const registration = (world: World): unknown => ({
  username: world.toolName(),
  password: 'a password',
  proxy: 'sip.example.com',
});
const wholeRegistration = (world: World): unknown => ({
  username: world.toolName(),
  password: 'a password',
  proxy: 'sip.example.com',
  outboundProxy: 'proxy.example.com',
  authUser: 'someone',
});

export const integrationBodies: BodyFixtures = {
  createTelephony1Config: create('telephony1'),
  createTelephony2Config: create('telephony2'),
  createTelephony3Config: create('telephony3'),
  updateTelephony1Config: update('telephony1'),
  updateTelephony2Config: update('telephony2'),
  updateTelephony3Config: update('telephony3'),
  updateAccountTelephonyConfig: () => ({ minimal: {}, maximal: [telephony] }),
  setTtsKeys: () => ({
    minimal: {},
    maximal: [
      {
        provider1: token,
        provider2: token,
        provider3: token,
        provider4: JSON.stringify({
          type: 'service_account',
          client_email: 'a@b.iam.gserviceaccount.com',
          private_key: serviceAccount,
        }),
        provider5: token,
        provider6: token,
        provider7: `user:${token}`,
      },
    ],
  }),
  updateSipConfig: async (world) => ({
    minimal: {},
    maximal: [
      {
        allowedCidrRanges: ['203.0.113.0/24'],
        allowAllAgents: true,
        allowedAgents: [{ agentId: await world.agentId(), toUserPattern: '^100[0-9]$' }],
        fallbackHandler: { url: 'https://example.com/sip', secrets: ['a secret of some length'] },
      },
    ],
  }),
  createSipRegistration: (world) => ({ minimal: registration(world), maximal: [wholeRegistration(world)] }),
  updateSipRegistration: (world) => ({ minimal: {}, maximal: [wholeRegistration(world)] }),
};
