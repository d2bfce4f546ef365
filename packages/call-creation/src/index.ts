export * from './call-creator.ts';
export * from './refusal.ts';
export * from './request-faults.ts';
