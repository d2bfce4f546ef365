import { SECRET_MARK } from '@calls/foundation/schema/keywords';
import type { TelephonyAccount } from '@calls/providers/telephony/telephony-vendor';
import { exampleIds } from './example-values.ts';

const callCreation = { callCreationAllowAllAgents: true };

/** A vendor's credentials as they are stored and answered: a secret's prefix is its first four characters. */
export function telephonyExample({ fields, example }: TelephonyAccount) {
  const answered = Object.entries(example).map(([name, value]): [string, unknown] =>
    SECRET_MARK in (fields[name] ?? {}) ? [`${name}Prefix`, { prefix: value.slice(0, 4) }] : [name, value],
  );
  return {
    body: { ...callCreation, ...example },
    response: { ...callCreation, ...Object.fromEntries(answered) },
  };
}

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
  lastError: null,
  expiresAt: null,
};

export const sipTrunkBody = {
  name: 'Office line',
  proxy: 'trunk.example.com',
  username: 'reception',
  password: 'password-at-the-trunk',
  numbers: ['+4930123456'],
  allowedCidrRanges: ['203.0.113.0/24'],
  codecs: ['PCMA', 'PCMU'],
  maxCalls: 10,
};

export const sipTrunk = {
  trunkId: exampleIds.trunk,
  created: '2026-03-02T09:00:00.000Z',
  name: 'Office line',
  enabled: true,
  proxy: 'trunk.example.com',
  outboundProxy: null,
  username: 'reception',
  from: null,
  numbers: ['+4930123456'],
  allowedCidrRanges: ['203.0.113.0/24'],
  incomingUsername: null,
  codecs: ['PCMA', 'PCMU'],
  maxCalls: 10,
};
