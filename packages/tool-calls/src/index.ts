export * from './http-request.ts';
export * from './tool-arguments.ts';
