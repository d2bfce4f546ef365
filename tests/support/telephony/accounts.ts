import { createPrivateKey, generateKeyPairSync, randomBytes, type KeyObject } from 'node:crypto';

/** An account at each provider, as configured in the service. */
export interface Accounts {
  telephony1: { accountSid: string; authToken: string };
  telephony2: { accountSid: string; apiKey: string; publicKey: string; applicationSid: string };
  telephony3: { authId: string; authToken: string };
}

export interface ProviderKeys {
  accounts: Accounts;
  /** Key that signs webhook requests of telephony2. */
  signingKey: KeyObject;
}

export function createAccounts(): ProviderKeys {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const { x = '' } = publicKey.export({ format: 'jwk' });
  const hex = (length: number): string => randomBytes(length / 2).toString('hex');
  return {
    accounts: {
      telephony1: { accountSid: `AC${hex(32)}`, authToken: hex(32) },
      telephony2: {
        accountSid: randomId(),
        apiKey: `KEY${hex(32)}`,
        publicKey: Buffer.from(x, 'base64url').toString('base64'),
        applicationSid: '1494404757140276705',
      },
      telephony3: { authId: `MA${hex(18).toUpperCase()}`, authToken: hex(40) },
    },
    signingKey: createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })),
  };
}

function randomId(): string {
  return crypto.randomUUID();
}
