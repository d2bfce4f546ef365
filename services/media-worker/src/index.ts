export * from './admission/admission.ts';
export * from './admission/slots.ts';
export * from './background-audio/clip-library.ts';
export * from './control-plane-queries/control-plane-queries.ts';
export * from './data-connections/data-connections.ts';
export { HANDSHAKE_LIMIT_MS, PING_EVERY_MS } from './data-connections/data-socket.ts';
export * from './tools/tool-http.ts';
