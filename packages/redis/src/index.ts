export type { Redis } from 'ioredis';
export * from './open-redis.ts';
export * from './redis-script.ts';
