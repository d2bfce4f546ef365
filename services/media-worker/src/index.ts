export * from './tools/tool-http.ts';
