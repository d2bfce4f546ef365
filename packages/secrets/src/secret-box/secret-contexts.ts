/** What secrets of an account are sealed for; each opens for the same alone. */

/** Of calls, their stages and tools, and of those that are yet to be created. */
export function callSecretsContext(accountId: string): string {
  return `calls:${accountId}`;
}

/** Of agents' templates. */
export function agentSecretsContext(accountId: string): string {
  return `agents:${accountId}`;
}

/** Of webhooks, and of the webhooks of scheduled batches. */
export function webhookSecretContext(accountId: string): string {
  return `webhooks:${accountId}`;
}

/** Of voices that are endpoints of customers. */
export function voiceSecretsContext(accountId: string): string {
  return `voices:${accountId}`;
}

/** Of keys at providers of voices. */
export function providerKeyContext(accountId: string, provider: string): string {
  return `tts_api_keys:${accountId}:${provider}`;
}

export function telephonySecretsContext(accountId: string): string {
  return `telephony:${accountId}`;
}

export function sipSecretContext(accountId: string): string {
  return `sip:${accountId}`;
}
