export * from './encryption-keys.ts';
export * from './prefix-of-secret.ts';
export * from './reseal.ts';
export * from './seal-paths.ts';
export * from './secret-box.ts';
export * from './secret-box-error.ts';
export * from './secret-contexts.ts';
