export * from './metrics-server.ts';
export * from './metrics.ts';
export * from './tracing/create-tracing.ts';
export * from './tracing/span.ts';
export * from './tracing/tracing-config.ts';
