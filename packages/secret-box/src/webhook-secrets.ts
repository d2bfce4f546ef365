/** In which the secrets of an account's webhooks are sealed, those of its scheduled batches too. */
export function webhookSecretContext(accountId: string): string {
  return `webhooks:${accountId}`;
}
