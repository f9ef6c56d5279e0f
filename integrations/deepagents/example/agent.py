"""An agent whose shell and files are those of the service of SANDBOX_URL. Argument: PROVIDER:MODEL of LangChain."""

import sys

from deepagents import create_deep_agent
from sandbox_service_deepagents import SandboxServiceBackend

backend = SandboxServiceBackend(cwd="/tmp")
agent = create_deep_agent(model=sys.argv[1], backend=backend)
question = "Write a program that prints the first ten squares, run it, and show its output."
print(agent.invoke({"messages": [{"role": "user", "content": question}]})["messages"][-1].content)
