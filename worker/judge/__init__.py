"""Judge mode: metrics for which a large language model is asked, where the operator has configured one."""
