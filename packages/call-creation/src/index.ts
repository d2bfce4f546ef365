export * from './call-creator.ts';
export type { CallAgent, CallOrder } from './call-order.ts';
export * from './refusal.ts';
export * from './request-faults.ts';
export { callSecretsContext, openMessage, SHOWN_SECRETS } from './secrets.ts';
