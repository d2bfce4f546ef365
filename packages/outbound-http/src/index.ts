export { createAddressGuard, type AddressGuard } from './address-guard.ts';
export * from './config.ts';
export { createNameResolver, type NameResolver } from './name-resolver.ts';
export { Networks } from './networks.ts';
export * from './outbound-error.ts';
export * from './outbound-http.ts';
export type { OutboundResponse } from './outbound-response.ts';
export * from './request-signature.ts';
