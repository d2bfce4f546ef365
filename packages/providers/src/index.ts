export * from './config/index.ts';
export * from './http/connection-pool.ts';
export type { HttpEndpoint } from './http/endpoint.ts';
export * from './llm/openai-compatible/adapter.ts';
export * from './llm/openai-compatible/limits.ts';
export * from './registry.ts';
export * from './stt/openai-compatible/adapter.ts';
export * from './tts/openai-compatible/adapter.ts';
export * from './vad/silero/index.ts';
