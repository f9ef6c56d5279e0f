import { defineCapability } from '../../capability.ts';
import { inheritedEnvironment } from '../../core/config.ts';
import { NETWORK_PORTS } from '../../core/ports/network-ports-port.ts';
import { provide } from '../../core/ports/port.ts';
import { ownPorts } from './own-ports.ts';
import { PortService } from './port-service.ts';
import { PORTS_SCOPES } from './route-scopes.ts';
import { portsV2 } from './v2/routes.ts';
import { portTools } from './wire/preview-tool.ts';

export const ports = defineCapability({
  name: 'ports',
  scopes: PORTS_SCOPES,
  provides: [provide(NETWORK_PORTS, (service: PortService) => service)],
  create: ({ config, metrics, tickets }) => {
    const own = ownPorts(inheritedEnvironment());
    const service = new PortService((port) => port === config.port || own.has(port), tickets);
    metrics.gauge('port_connections', 'Clients connected to ports of the sandbox.', () => service.connections);
    return service;
  },
  v2: portsV2,
  tools: portTools,
});
