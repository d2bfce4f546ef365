export * from './metrics-server.ts';
export * from './metrics.ts';
