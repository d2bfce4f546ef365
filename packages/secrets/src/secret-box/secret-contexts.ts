/** Encryption contexts of an account's secrets. A secret opens only in its own context. */

/** For calls, their stages and tools, and scheduled calls. */
export function callSecretsContext(accountId: string): string {
  return `calls:${accountId}`;
}

/** For templates of agents. */
export function agentSecretsContext(accountId: string): string {
  return `agents:${accountId}`;
}

/** For webhooks, including those of scheduled batches. */
export function webhookSecretContext(accountId: string): string {
  return `webhooks:${accountId}`;
}

/** For voices on customers' endpoints. */
export function voiceSecretsContext(accountId: string): string {
  return `voices:${accountId}`;
}

/** For API keys of voice providers. */
export function providerKeyContext(accountId: string, provider: string): string {
  return `tts_api_keys:${accountId}:${provider}`;
}

export function telephonySecretsContext(accountId: string): string {
  return `telephony:${accountId}`;
}

export function sipSecretContext(accountId: string): string {
  return `sip:${accountId}`;
}
