export { MAX_FRAME_BYTES, MAX_TEXT_BYTES, ServerWebSocketTransport } from './server-websocket/transport.ts';
