export * from './audio-codec.ts';
export * from './opus-payload.ts';
export * from './playout.ts';
export * from './reorder-buffer.ts';
export * from './rtp-packet.ts';
export * from './rtp-sender.ts';
export * from './sequence.ts';
export * from './telephone-event.ts';
