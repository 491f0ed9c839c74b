from snakemake.utils import min_version

min_version("9.10")


configfile: "config/config.yaml"


include: "workflow/rules/common.smk"
include: "workflow/rules/inputs.smk"
include: "workflow/rules/wfa.smk"
include: "workflow/rules/shuffle.smk"
include: "workflow/rules/reorder.smk"
include: "workflow/rules/apsp.smk"
include: "workflow/rules/mgemm.smk"
include: "workflow/rules/report.smk"


# Everything: checked measurements, figures, tables, and the report on all claims.
rule all:
    default_target: True
    input:
        rules.inputs.input if READS or VECTORS or GRAPHS or LEFT_OUT else [],
        rules.wfa.input if WFA else [],
        rules.shuffle.input if SHUFFLE else [],
        rules.reorder.input if REORDER else [],
        rules.apsp.input if APSP else [],
        rules.mgemm.input if MGEMM else [],
        rules.report.input,
