import type { App } from '@sandbox/api/http/app-types.ts';
import { ErrorBody, envelopeOf, ok } from '@sandbox/api/http/envelope.ts';
import { VERSION } from '@sandbox/api/version.ts';
import { z } from 'zod';
import { V1_ERRORS } from '../../../http/v1/answers.ts';
import type { Interpreter } from '../context/interpreters.ts';
import type { Context } from '../context/summary.ts';
import type { SandboxService } from '../sandbox-service.ts';
import { Capabilities, capabilitiesData } from '../wire/capabilities.ts';
import { RefreshQuery, SandboxResponse } from './schemas.ts';

const tags = ['sandbox'];

export function sandboxV1(app: App, service: SandboxService): void {
  app.get('/sandbox', {
    schema: {
      tags,
      operationId: 'getSandbox',
      summary: 'Read the context of the sandbox',
      response: { 200: SandboxResponse, ...V1_ERRORS },
    },
    handler: async () => {
      const context = await service.context();
      const { home } = context.system;
      return {
        ...ok(await service.summary(), 'context of the sandbox'),
        home_dir: home,
        workspace: home,
        version: VERSION,
        detail: detailOf(context),
      };
    },
  });

  for (const language of ['python', 'nodejs']) {
    app.get(`/sandbox/packages/${language}`, {
      schema: {
        tags,
        operationId: language === 'python' ? 'listPythonPackages' : 'listNodejsPackages',
        summary: `List the installed packages of ${language}`,
        response: { 200: envelopeOf(z.string()), ...V1_ERRORS, 503: ErrorBody },
      },
      handler: async () => ok(await service.packages(language), `packages of ${language}`),
    });
  }

  app.get('/capabilities', {
    schema: {
      tags,
      operationId: 'getCapabilities',
      summary: 'Read what the sandbox can do',
      querystring: RefreshQuery,
      response: { 200: envelopeOf(Capabilities), ...V1_ERRORS },
    },
    handler: async ({ query: { refresh } }) => ok(capabilitiesData(await service.survey(refresh)), 'capabilities'),
  });
}

function detailOf({ system, python, nodejs, utilities }: Context): z.input<typeof SandboxResponse>['detail'] {
  return {
    system: {
      os: system.type,
      os_version: system.os,
      arch: system.arch,
      user: system.user,
      home_dir: system.home,
      workspace: system.home,
      timezone: system.timezone,
      occupied_ports: system.occupiedPorts.map(String),
    },
    runtime: { python: python.map(toolOf), nodejs: nodejs.map(toolOf) },
    utils: utilities.map(({ category, tools }) => ({ category, tools: [...tools] })),
  };
}

function toolOf({ version, path, aliases }: Interpreter) {
  return { ver: version, bin: path, alias: [...aliases] };
}
