import { generateKeyPairSync } from 'node:crypto';
import { telephonyConfigOperations } from '@calls/api-contract/operations/telephony.operations';
import {
  ofEachTelephonyAccount,
  TELEPHONY_PROVIDERS,
  type TelephonyProvider,
} from '@calls/providers/telephony/telephony-vendors';
import { KEYED_TTS_VENDORS } from '@calls/providers/tts/tts-vendors';
import type { BodyFixture, BodyFixtures } from './fixtures.ts';
import type { World } from './world.ts';

const serviceAccount = JSON.stringify({
  type: 'service_account',
  client_email: 'a@b.iam.gserviceaccount.com',
  private_key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
    type: 'pkcs8',
    format: 'pem',
  }),
});

const token = 'a-token-of-some-length';
const telephony = ofEachTelephonyAccount(({ account }) => account.example);
const allowed = { callCreationAllowAllAgents: true, requestContextMapping: { From: 'caller.number' } };

const configPath = (provider: TelephonyProvider): string => `/api/telephony_configs/${provider}`;

async function everything(world: World, provider: TelephonyProvider): Promise<unknown> {
  return { ...telephony[provider], ...allowed, callCreationAllowedAgentIds: [await world.agentId()] };
}

const create =
  (provider: TelephonyProvider) =>
  async (world: World): Promise<BodyFixture> => ({
    minimal: telephony[provider],
    maximal: [await everything(world, provider)],
    before: () => world.account.send('DELETE', configPath(provider)),
  });
const update =
  (provider: TelephonyProvider) =>
  async (world: World): Promise<BodyFixture> => {
    await world.account.post(configPath(provider), telephony[provider]);
    return { minimal: {}, maximal: [await everything(world, provider)] };
  };

const telephonyBodies: BodyFixtures = Object.fromEntries(
  TELEPHONY_PROVIDERS.flatMap((provider) => {
    const { create: createConfig, update: updateConfig } = telephonyConfigOperations[provider];
    return [
      [createConfig.id, create(provider)],
      [updateConfig.id, update(provider)],
    ];
  }),
);

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

const wholeTrunk = {
  name: 'Office line',
  enabled: true,
  proxy: 'trunk.example.com',
  outboundProxy: 'proxy.example.com',
  username: 'reception',
  password: 'a password',
  from: '+4930123456',
  numbers: ['+4930123456'],
  allowedCidrRanges: ['203.0.113.0/24'],
  incomingUsername: 'peer',
  incomingPassword: 'another password',
  codecs: ['G722', 'PCMA'],
  maxCalls: 10,
};

export const integrationBodies: BodyFixtures = {
  ...telephonyBodies,
  updateAccountTelephonyConfig: () => ({ minimal: {}, maximal: [telephony] }),
  setTtsKeys: () => ({
    minimal: {},
    maximal: [
      Object.fromEntries(
        KEYED_TTS_VENDORS.map(({ key, credential }) => [
          key,
          credential === 'token' ? token : serviceAccount,
        ]),
      ),
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
  createSipTrunk: () => ({ minimal: { name: 'Line' }, maximal: [wholeTrunk] }),
  updateSipTrunk: () => ({ minimal: {}, maximal: [wholeTrunk] }),
  createSipRegistration: (world) => ({ minimal: registration(world), maximal: [wholeRegistration(world)] }),
  updateSipRegistration: (world) => ({ minimal: {}, maximal: [wholeRegistration(world)] }),
};
