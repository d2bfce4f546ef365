export * from './calls.ts';
export * from './endpoint-options.ts';
export { openSipEndpoint } from './endpoint/open-sip-endpoint.ts';
export { SipError, type SipErrorCode } from './sip-error.ts';
export type { NameService } from './transport/resolve.ts';
