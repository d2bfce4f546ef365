#!/usr/bin/env node
/**
 * The entry point of every npm script: `node scripts/run.mjs <command> [arguments]`. Node 12 and newer can read this file, so
 * that each reports that it is too old: no static imports, no `await`.
 */
const MIN_NODE_MAJOR = 20;

if (Number(process.versions.node.split('.')[0]) < MIN_NODE_MAJOR) {
  console.error(`Node ${MIN_NODE_MAJOR} or newer is needed; this is ${process.version}`);
  process.exitCode = 1;
} else {
  void import('./run-command.mjs');
}
