import { exampleIds } from './example-values.ts';

const parameters = {
  dynamicParameters: [
    {
      name: 'number',
      location: 'PARAMETER_LOCATION_PATH',
      schema: { type: 'string', description: 'Number of the booking.' },
      required: true,
    },
  ],
};

export const toolBody = {
  name: 'lookUpBooking',
  definition: {
    modelToolName: 'lookUpBooking',
    description: 'Returns the booking with a number.',
    ...parameters,
    requirements: {
      httpSecurityOptions: {
        options: [{ requirements: { bookings: { headerApiKey: { name: 'X-Bookings-Key' } } } }],
      },
    },
    http: { baseUrlPattern: 'https://example.com/bookings/{number}', httpMethod: 'GET' },
  },
};

export const tool = {
  ...toolBody,
  toolId: exampleIds.tool,
  created: '2026-03-02T09:00:00.000Z',
  ownership: 'private',
};

export const callTool = {
  callToolId: exampleIds.callTool,
  toolId: exampleIds.tool,
  name: 'lookUpBooking',
  definition: {
    description: 'Returns the booking with a number.',
    ...parameters,
    timeout: '2.5s',
    http: {
      baseUrlPattern: 'https://example.com/bookings/{number}',
      httpMethod: 'GET',
      authHeaders: ['X-Bookings-Key'],
    },
  },
};
