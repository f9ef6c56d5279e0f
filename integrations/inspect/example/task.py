"""`SANDBOX_URL=http://localhost:8080 inspect eval task.py --model openai/gpt-5`"""

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import bash


@task
def count_lines() -> Task:
    sample = Sample(
        input="How many lines has data.txt? Answer with the number alone.",
        target="3",
        files={"data.txt": "one\ntwo\nthree\n"},
    )
    return Task(dataset=[sample], solver=[use_tools(bash(timeout=60)), generate()], scorer=includes(), sandbox="sandbox_service")
