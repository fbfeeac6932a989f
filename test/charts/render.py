"""Prints, as JSON, what Helm and the schemas of Kubernetes say of a chart: render.py FOLDER"""

import json
import sys
from pathlib import Path

import helm_python as helm
import kubernetes_validate
import yaml

VERSIONS = ["1.27", "1.33", "1.37"]
LINTED = "v1.33.0"

# Values that must be refused, with a word of the reason.
REFUSED = {
    "several processes without a database": ({"database": False}, "several processes need a database"),
    "a database without a Secret": ({}, "name a Secret that has SANDBOX_DATABASE_URL"),
    "a database and a file": ({"existingSecret": "s", "persistence": {"enabled": True}}, "in a database or in a file"),
    "two kinds of secrets": ({"existingSecret": "s", "secrets": {"SANDBOX_API_PASSWORD": "x"}}, "leave one of them empty"),
    "autoscaling upside down": ({"existingSecret": "s", "autoscaling": {"enabled": True, "min": 9, "max": 2}}, "at most"),
    "less time than ending takes": ({"existingSecret": "s", "drain": 20}, "three times as long as drain"),
    "a value that there is not": ({"existingSecret": "s", "replica": 2}, "replica"),
    "a setting that is no text": ({"existingSecret": "s", "settings": {"SANDBOX_MAX_WORLDS": 10}}, "SANDBOX_MAX_WORLDS"),
    "a setting of another name": ({"existingSecret": "s", "settings": {"PORT": "1"}}, "PORT"),
}


def documents(chart, values):
    rendered = chart.render(values, name="trial", namespace="payments", is_install=True)
    for path, text in sorted(rendered.items()):
        if path.endswith(".txt"):
            yield {"path": path, "notes": text}
            continue
        for document in yaml.safe_load_all(text):
            if document:
                yield {"path": path, "document": document, "faults": faults_of(document)}


def faults_of(document):
    # The schemas of the Prometheus operator are not part of Kubernetes.
    if document["apiVersion"].startswith("monitoring.coreos.com/"):
        return []
    faults = []
    for version in VERSIONS:
        try:
            kubernetes_validate.validate(document, version, strict=True)
        except kubernetes_validate.ValidationError as error:
            faults.append(f"{version}: {'.'.join(map(str, error.path))}: {error.message}")
        except Exception as error:  # pylint: disable=broad-except
            faults.append(f"{version}: {type(error).__name__}: {error}")
    return faults


def refusal(folder, values):
    """What Helm says as it would be installed; the schema is looked at before templates are."""
    try:
        chart = helm.Chart.load(folder)
        chart.validate_schema(values)
        chart.render(values, name="trial", namespace="payments")
    except helm.HelmError as error:
        return str(error)
    return ""


def main(folder):
    files = {path.stem: yaml.safe_load(path.read_text()) for path in sorted(Path(folder, "ci").glob("*.yaml"))}
    lint = {name: helm.lint(folder, values, strict=True, kube_version=LINTED) for name, values in files.items()}
    for values in files.values():
        helm.Chart.load(folder).validate_schema(values)
    rendered = {name: list(documents(helm.Chart.load(folder), values)) for name, values in files.items()}
    refused = {
        name: {"said": refusal(folder, values), "expected": expected} for name, (values, expected) in REFUSED.items()
    }
    json.dump({"lint": lint, "rendered": rendered, "refused": refused}, sys.stdout)


main(sys.argv[1])
