import { join } from 'node:path';
import { generatePython } from '@calls/api-client/python';
import { createLogger, createServer } from 'vite';

/** Serves the console with hot reload on PORT and proxies other paths to CONTROL_PLANE_URL. For `npm run dev`. */
const { PORT, CONTROL_PLANE_URL } = process.env;
const API_PATHS = ['/api', '/console', '/docs', '/healthz', '/readyz', '/sip-logs', '/telephony', '/uploads'];
const sdkSource = join(import.meta.dirname, '../../packages/client/src');

/** Serves the browser SDK, the widget and the Python client at their public paths, from source. */
const sdk = {
  name: 'sdk',
  configureServer: ({ middlewares }) => {
    middlewares.use((request, response, next) => {
      const path = request.url?.split('?')[0];
      if (path === '/sdk/calls-widget.js') {
        // A classic script, like the built one.
        const script = `import('/@fs${sdkSource}/widget/index.ts');`;
        response.setHeader('Content-Type', 'text/javascript').end(script);
        return;
      }
      if (path === '/sdk/calls_api.py') {
        void generatePython().then((python) => response.end(python), next);
        return;
      }
      if (path === '/sdk/calls-client.js') request.url = `/@fs${sdkSource}/index.ts`;
      next();
    });
  },
};

/** Requests fail while the control-plane restarts; its own log reports when it is ready. */
const logger = createLogger('warn');
const customLogger = {
  ...logger,
  error: (message, options) => {
    if (!message.includes('http proxy error')) logger.error(message, options);
  },
};

const server = await createServer({
  configFile: join(import.meta.dirname, 'vite.config.mjs'),
  customLogger,
  plugins: [sdk],
  server: {
    port: Number(PORT),
    strictPort: true,
    proxy: Object.fromEntries(
      API_PATHS.map((path) => [`^${path}(?:[/?]|$)`, { target: CONTROL_PLANE_URL, changeOrigin: false }]),
    ),
  },
});
await server.listen();
process.once('SIGTERM', stop);
process.once('disconnect', stop);
process.send?.({ type: 'ready' });

async function stop() {
  await server.close();
  process.exit(0);
}
